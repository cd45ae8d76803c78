git init -q . && git add . && git commit -q -m "deploy" && git remote add origin https://git.example.com/shop/deploy

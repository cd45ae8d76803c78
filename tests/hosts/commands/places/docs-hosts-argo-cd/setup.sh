cp -r "$PROJECT/examples/argo-cd/repo-server" repo-server

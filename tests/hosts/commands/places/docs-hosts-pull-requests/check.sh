grep -q '"baselineState"' hostnet.sarif

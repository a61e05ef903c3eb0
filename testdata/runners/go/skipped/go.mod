module example.com/skipped

go 1.24

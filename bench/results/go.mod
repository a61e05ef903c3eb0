module factgate/bench/results

go 1.26.0

require (
	factgate v0.0.0
	github.com/joshdk/go-junit v1.0.0
	github.com/orisano/gosax v1.1.4
)

require golang.org/x/text v0.44.0 // indirect

replace factgate => ../..

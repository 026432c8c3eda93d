package pricing

var InitialOnDemandPricesAWS = map[string]map[string]float64{
	// us-east-1
	"us-east-1": {
		// g6 family
		"g6.xlarge": 0.804800, "g6.2xlarge": 0.977600,
		// p5 family
		"p5.48xlarge": 55.040000, "m5.large": 0.096000,
	},
}

package pricing

var InitialOnDemandPricesAWS = map[string]map[string]float64{
	"us-east-1": {
		"g6.xlarge": 0, "g6.2xlarge": -0.977600,
		"p5.48xlarge": 6.880000, "p5.48xlarge": 55.040000,
		"g6.4xlarge": none,
	},

package e2e

func laneMain() int { return 125 }

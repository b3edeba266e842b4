package confine

// LandlockABI is 0: this system has no Landlock.
func LandlockABI() int { return 0 }

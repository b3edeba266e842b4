package confine

// Default is the layer that confines when none is asked for. No other is ever
// taken in its place.
const Default = "seatbelt"

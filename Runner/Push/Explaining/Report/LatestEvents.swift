import FoundationEssentials

/// The events that functions have decided about last, the newest first.
struct LatestEvents: Encodable {
  let events: [Handled]

  /// One of them, as one function handled it.
  struct Handled: Encodable {
    let event: String
    let function: String
    let source: String
    let at: Date
    /// The number of people for each decision, the largest first; empty if it concerned nobody.
    var counts: [EventReport.Count]
  }
}

import Documents
import Terminal

extension RecentDocument {
  var text: String {
    guard !events.isEmpty else { return "No function has decided about anybody yet." }
    let width = events.map(\.function.columns).max() ?? 0
    return events.map { event in
      let more = event.hasMore == true ? ["and more"] : []
      let tally = (event.counts.map { "\($0.people) \($0.words)" } + more).joined(separator: ", ")
      let function = event.function.padded(to: width)
      return "\(LocalClock(zone: nil).full(event.at))  \(function)  \(event.event)  \(tally)".onOneCleanLine
        .trimmedAtEnd
    }.joined(separator: "\n")
  }
}

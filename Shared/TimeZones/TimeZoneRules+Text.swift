import Formats

extension TimeZoneRules {
  /// An instant as the zone's clock shows it, in RFC 3339: `2026-03-08T03:00:00-04:00`.
  ///
  /// An offset before standard time may not be a whole minute. It keeps its seconds, for which RFC 3339 has no place.
  package func rfc3339(at instant: Int64) -> String {
    let civil = civilTime(at: instant)
    let day = [padded(civil.date.year, 4), padded(civil.date.month, 2), padded(civil.date.day, 2)]
    let clock = [civil.hour, civil.minute, civil.second].map { padded($0, 2) }
    return "\(day.joined(separator: "-"))T\(clock.joined(separator: ":"))\(offsetText(Int(offset(at: instant))))"
  }

  private func offsetText(_ offset: Int) -> String {
    guard offset != 0 else { return "Z" }
    let parts = [abs(offset) / 3_600, abs(offset) / 60 % 60, abs(offset) % 60]
    let shown = parts[2] == 0 ? parts.dropLast() : parts[...]
    return (offset < 0 ? "-" : "+") + shown.map { padded($0, 2) }.joined(separator: ":")
  }

  private func padded(_ number: Int, _ width: Int) -> String {
    let digits = String(abs(number))
    return (number < 0 ? "-" : "") + String(repeating: "0", count: max(0, width - digits.count)) + digits
  }
}

import CLI
import FoundationEssentials
import TimeZones

/// Times in a person's time zone.
struct LocalClock {
  /// The zone's name; `UTC` if none is given or known by that name.
  let zone: String
  private let rules: TimeZoneRules

  init(zone: String?) {
    rules = zone.flatMap { try? TimeZoneRules(anyCase: $0) } ?? .utc
    self.zone = rules.identifier
  }

  /// `2026-05-04 10:12:07`.
  func full(_ date: Date) -> String {
    let text = rules.rfc3339(at: seconds(date))
    return "\(text.prefix(10)) \(text.dropFirst(11).prefix(8))"
  }

  /// `10:12`, or `4 May, 10:12` on another day than the reference.
  func brief(_ date: Date, from reference: Date) -> String {
    said(date, from: reference, hasSeconds: false)
  }

  /// `10:12:07`, or `4 May, 10:12:07` on another day than the reference.
  func exact(_ date: Date, from reference: Date) -> String {
    said(date, from: reference, hasSeconds: true)
  }

  private func said(_ date: Date, from reference: Date, hasSeconds: Bool) -> String {
    let (text, now) = (full(date), full(reference))
    guard text.prefix(10) == now.prefix(10) else {
      return TimeText.onPage(local: text, now: now, hasSeconds: hasSeconds)
    }
    return String(text.dropFirst(11).prefix(hasSeconds ? 8 : 5))
  }

  /// `23:10`.
  func time(_ date: Date) -> String { String(full(date).dropFirst(11).prefix(5)) }

  private func seconds(_ date: Date) -> Int64 { Int64(date.timeIntervalSince1970.rounded(.down)) }

  /// `08:00`, from minutes after midnight.
  static func time(minute: Int) -> String {
    [minute / 60, minute % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
  }
}

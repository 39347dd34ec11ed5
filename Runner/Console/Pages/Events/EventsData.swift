import CLI
import Documents

extension PageData {
  /// Events, as `runner events list --json` prints them.
  static func events(_ events: [EventSummary], extent: String) -> PageData {
    PageData(events, extent: extent) {
      CSV(
        events,
        [
          ("at", { TimeText.exact($0.at) }), ("state", { $0.state.rawValue }), ("function", { $0.function }),
          ("kind", { $0.kind }), ("key", { $0.key }), ("id", { $0.id }), ("attempts", { "\($0.attempts)" }),
          ("ended at", { $0.endedAt.map(TimeText.exact) }),
          ("milliseconds", { $0.milliseconds.map { "\($0)" } }), ("code", { $0.code }), ("error", { $0.error }),
        ])
    }
  }
}

import Formats
import FoundationEssentials
import FunctionKit
import Notifications
import StoreLive

extension Request {
  var ids: [(String, RawJSON)] {
    [
      ("userId", RawJSON(userId.lowercased)), ("conversationId", RawJSON(conversationId)),
      ("messageId", RawJSON(messageId)),
    ]
  }
}

extension AnalysisExcess {
  var json: RawJSON {
    RawJSON(object: [
      ("fallback", RawJSON(fallback.rawValue)), ("limit", RawJSON(limit)),
      ("resetAt", RawJSON(RFC3339.string(resetAt))),
    ])
  }
}

extension RawJSON {
  /// The app's word for a reason, or else the reason itself.
  init(reason: String) {
    switch reason {
    case Analysis.notWorthNotifying: self.init("shouldNotify is false")
    case Suppression.quietHours.rawValue: self.init("quiet hours")
    case Suppression.viewing.rawValue: self.init("active conversation")
    default: self.init(reason)
    }
  }
}

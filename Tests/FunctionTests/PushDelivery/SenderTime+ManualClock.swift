import FoundationEssentials
import Notifications
import PushLive
import TestSupport

extension SenderTime {
  /// A time that a test moves.
  ///
  /// Who waits moves it, too, and goes on at once.
  init(_ clock: ManualClock) {
    self.init(instant: { clock.now }, date: { clock.date }, pass: { clock.advance(by: $0) })
  }
}

extension FCMSender.Limits {
  /// Limits that no machine is too slow for.
  static let patient = Self(connecting: .seconds(120), answer: .seconds(120))
}

extension FCMSender {
  /// Sends with time for everything.
  func send(_ pushes: [QueuedPush]) async -> [PushReport] { await send(pushes, until: .now + .seconds(3_600)) }
}

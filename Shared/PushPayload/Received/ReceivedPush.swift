#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A push as an app receives it, with what the app's own keys say.
///
/// Types have the same names in several apps, so that the app says whose content it reads:
///
/// ```swift
/// let push = ReceivedPush<LockItInPush>(userInfo: response.notification.request.content.userInfo)
/// switch push.content {
/// case .proposalCreated(let proposal, _, _, _): vote(on: proposal)
/// default: push.link.map(open)
/// }
/// ```
public struct ReceivedPush<Content: PushContent>: Sendable, Equatable {
  /// The texts, badge, thread and category, and the app's own keys as they came.
  public let payload: PushPayload
  /// What the app's own keys say.
  public let content: Content

  /// What a payload says.
  public init(_ payload: PushPayload) {
    self.payload = payload
    content = Content(type: payload.values.text("type"), values: payload.values)
  }

  /// What the JSON of a payload says; `nil` when it is not a JSON object.
  ///
  /// - Parameter json: UTF-8, as a `Data` or the `utf8` of a string.
  public init?(json: some Collection<UInt8>) {
    guard let payload = PushPayload(json: json) else { return nil }
    self.init(payload)
  }

  /// What the `userInfo` of a `UNNotificationContent`, or of a background push, says.
  public init(userInfo: [AnyHashable: Any]) { self.init(PushPayload(userInfo: userInfo)) }

  /// The id under which the app reports that the push was opened or acted on; `nil` for a push that shows nothing.
  public var notificationID: UUID? {
    payload.values.uuid(PushPayload.IDKey.camelCase.rawValue)
      ?? payload.values.uuid(PushPayload.IDKey.snakeCase.rawValue)
  }

  /// The place that a tap opens: the one that the push names, else the one its content is about.
  public var link: DeepLink? {
    (payload.values.text("actionUrl") ?? payload.values.text("deep_link")).flatMap(DeepLink.init) ?? content.link
  }
}

/// What the pushes of one app are about.
public protocol PushContent: Sendable, Equatable {
  /// Reads the app's own keys; never fails.
  ///
  /// A type that is unknown, or lacks the ids that it needs, is content too.
  init(type: String?, values: [String: PushPayload.Value])
  /// The app's own keys that say this, its type and link included; reading them gives the same content.
  var values: [String: PushPayload.Value] { get }
  /// The place it is about; `nil` where the app's URLs name none.
  var link: DeepLink? { get }
}

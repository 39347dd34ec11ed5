#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A push as an app receives it, with the content of the app's own keys.
///
/// Several apps have types with the same names, so the app names the content that it reads:
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
  /// The content of the app's own keys.
  public let content: Content

  /// Reads a payload.
  public init(_ payload: PushPayload) {
    self.payload = payload
    content = Content(type: payload.values.text("type"), values: payload.values)
  }

  /// Reads the JSON of a payload; `nil` if it is not a JSON object.
  ///
  /// - Parameter json: UTF-8, as a `Data` or the `utf8` of a string.
  public init?(json: some Collection<UInt8>) {
    guard let payload = PushPayload(json: json) else { return nil }
    self.init(payload)
  }

  /// Reads the `userInfo` of a `UNNotificationContent` or a background push.
  public init(userInfo: [AnyHashable: Any]) { self.init(PushPayload(userInfo: userInfo)) }

  /// The id to report that the push was opened or acted on; `nil` for a push that shows nothing.
  public var notificationID: UUID? {
    payload.values.uuid(PushPayload.IDKey.camelCase.rawValue)
      ?? payload.values.uuid(PushPayload.IDKey.snakeCase.rawValue)
  }

  /// The place that a tap opens: the one that the push names, else the one its content is about.
  public var link: DeepLink? {
    (payload.values.text("actionUrl") ?? payload.values.text("deep_link")).flatMap(DeepLink.init) ?? content.link
  }
}

/// The content of one app's pushes.
public protocol PushContent: Sendable, Equatable {
  /// Reads the app's own keys; it never fails.
  ///
  /// An unknown type, or one without the ids that it needs, is content too.
  init(type: String?, values: [String: PushPayload.Value])
  /// The app's own keys with type and link; reading them gives the same content.
  var values: [String: PushPayload.Value] { get }
  /// The place that it is about; `nil` if the app has no URL for it.
  var link: DeepLink? { get }
}

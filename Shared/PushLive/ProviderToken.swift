import FoundationEssentials

/// The JWT that APNs knows a team by, made anew only when its age demands it.
///
/// APNs refuses tokens older than an hour, and teams that make them more often than every 20 minutes.
/// Source: [Establishing a token-based connection to APNs](https://developer.apple.com/documentation/usernotifications/establishing-a-token-based-connection-to-apns).
struct ProviderToken: Sendable {
  /// A token is used for 50 minutes.
  static let life = 50.0 * 60
  /// No token follows another within 20 minutes.
  static let minimumAge = 20.0 * 60

  private let sign: @Sendable (_ issuedAt: Int) throws -> String
  private var current: (authorization: String, issuedAt: Date)?

  /// - Parameter sign: makes a token that is dated so, in seconds since 1970.
  init(sign: @escaping @Sendable (_ issuedAt: Int) throws -> String) {
    self.sign = sign
  }

  /// The value of the `authorization` field; makes a token when there is none or it is too old.
  mutating func authorization(at now: Date) throws -> String {
    if let current, isUsable(current.issuedAt, at: now) { return current.authorization }
    let made = "bearer \(try sign(Int(now.timeIntervalSince1970)))"
    current = (made, now)
    return made
  }

  /// Gives up the token that APNs called expired, unless it is so young that another must not follow.
  /// - Returns: Whether the next one will be new.
  mutating func renew(at now: Date) -> Bool {
    guard let issuedAt = current?.issuedAt else { return true }
    guard now.timeIntervalSince(issuedAt) >= Self.minimumAge else { return false }
    current = nil
    return true
  }

  // A token from the future means that the clock was put back; APNs refuses it like one that is too old.
  private func isUsable(_ issuedAt: Date, at now: Date) -> Bool {
    (-Self.minimumAge..<Self.life).contains(now.timeIntervalSince(issuedAt))
  }
}

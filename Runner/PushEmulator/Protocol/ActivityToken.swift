import Formats

/// A token for Live Activities that the emulator hands out, as a phone does to its apps: the device's token, and what the
/// new one is for.
///
/// It says so itself, and so means the same after a restart and on another host.
struct ActivityToken: Sendable, Equatable {
  /// The device's token.
  let phone: String
  let use: Use

  enum Use: Sendable, Equatable {
    /// Starts activities of the type: the name of an app's struct.
    case start(type: String)
    /// Updates and ends the activity that the push of that number has started.
    case update(push: Int)
  }

  private static let startMark = "57a27000"
  private static let updateMark = "ac710000"
  /// All known device tokens have as many digits.
  private static let deviceDigits = 64

  /// - Returns: `nil` for a device whose token has not 64 digits, or a name of more than 60 bytes.
  init?(phone: String, startingType type: String) {
    guard phone.utf8.count == Self.deviceDigits, PushRules.isDeviceToken(phone), (1...60).contains(type.utf8.count)
    else { return nil }
    (self.phone, use) = (phone, .start(type: type))
  }

  init?(phone: String, startedBy push: Int) {
    guard phone.utf8.count == Self.deviceDigits else { return nil }
    (self.phone, use) = (phone, .update(push: push))
  }

  /// Reads a token; `nil` for one that the emulator has not handed out.
  init?(_ text: String) {
    guard text.utf8.count > Self.deviceDigits + 8 else { return nil }
    let digits = Array(text.utf8)
    let rest = digits[(Self.deviceDigits + 8)...]
    switch String(decoding: digits[Self.deviceDigits..<(Self.deviceDigits + 8)], as: UTF8.self) {
    case Self.startMark:
      guard let type = Self.text(rest) else { return nil }
      use = .start(type: type)
    case Self.updateMark:
      guard rest.count == 16, let push = Hex.number(lowercase: rest).flatMap({ Int(exactly: $0) }) else { return nil }
      use = .update(push: push)
    default: return nil
    }
    phone = String(decoding: digits[..<Self.deviceDigits], as: UTF8.self)
  }

  var text: String {
    switch use {
    case .start(let type):
      let digits = type.utf8.flatMap { [Hex.digit($0 >> 4), Hex.digit($0 & 15)] }
      return phone + Self.startMark + String(decoding: digits, as: UTF8.self)
    case .update(let push): return phone + Self.updateMark + String(decoding: Hex.digits(UInt64(push)), as: UTF8.self)
    }
  }

  /// The device of any token: that of an activity's token, or the token itself.
  static func phone(of token: String) -> String { ActivityToken(token)?.phone ?? token }

  private static func text(_ digits: ArraySlice<UInt8>) -> String? {
    guard digits.count.isMultiple(of: 2), !digits.isEmpty else { return nil }
    var bytes: [UInt8] = []
    for place in stride(from: digits.startIndex, to: digits.endIndex, by: 2) {
      guard let high = Hex.value(digits[place]), let low = Hex.value(digits[place + 1]) else { return nil }
      bytes.append(high << 4 | low)
    }
    return String(validating: bytes, as: UTF8.self)
  }
}

import Formats
import FunctionKit
import Signing

/// The text of a provider token, whose signature is not verified yet.
struct ProviderTokenText: Sendable {
  let keyID: String
  let teamID: String
  let issuedAt: Int
  let signature: [UInt8]
  let signedBytes: [UInt8]
  private(set) var oddities: [Oddity]

  /// A deviation that Apple's servers accept, as common samples and libraries show.
  enum Oddity: String, Sendable, CaseIterable {
    /// A signature in DER instead of 64 bytes, as in Apple's own shell sample.
    case derSignature = "the signature is DER, not 64 bytes"
    /// Base64 with padding or with `+` and `/`.
    case paddedBase64 = "base64 with padding"
    case stringIssuedAt = "iat is a string"
  }

  /// Reads the token of an `authorization` field; `nil` if it is not a token.
  ///
  /// - Parameter isLenient: whether deviations are accepted.
  init?(authorization: String, isLenient: Bool) {
    let words = authorization.split(separator: " ", maxSplits: 1)
    guard words.count == 2, words[0].lowercased() == "bearer" else { return nil }
    let parts = words[1].split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3 else { return nil }
    var decoder = Decoder(isLenient: isLenient)
    guard let header = decoder.json(parts[0]), let claims = decoder.json(parts[1]),
      let signature = decoder.bytes(parts[2]),
      header["alg"]?.stringValue == "ES256", let keyID = header["kid"]?.stringValue,
      let teamID = claims["iss"]?.stringValue, let issuedAt = decoder.seconds(claims["iat"])
    else { return nil }
    if signature.count != 64 { decoder.oddities.append(.derSignature) }
    guard isLenient || decoder.oddities.isEmpty else { return nil }
    (self.keyID, self.teamID, self.issuedAt, self.signature) = (keyID, teamID, issuedAt, signature)
    signedBytes = Array("\(parts[0]).\(parts[1])".utf8)
    oddities = decoder.oddities
  }

  /// Whether the owner of the key made it.
  func isSigned(by key: VerificationKey) -> Bool {
    oddities.contains(.derSignature)
      ? key.verify(der: signature, of: signedBytes) : key.verify(signature, of: signedBytes)
  }
}

private struct Decoder {
  let isLenient: Bool
  var oddities: [ProviderTokenText.Oddity] = []

  mutating func json(_ part: Substring) -> RawJSON? {
    bytes(part).flatMap { try? RawJSON(validating: $0[...]) }
  }

  mutating func bytes(_ part: Substring) -> [UInt8]? {
    if let bytes = Base64URL.decode(part) { return bytes }
    guard isLenient else { return nil }
    let text = part.replacing("+", with: "-").replacing("/", with: "_").replacing(/={1,2}$/, with: "")
    guard let bytes = Base64URL.decode(text) else { return nil }
    if !oddities.contains(.paddedBase64) { oddities.append(.paddedBase64) }
    return bytes
  }

  mutating func seconds(_ json: RawJSON?) -> Int? {
    if let number = json?.intValue { return number }
    // Some encoders write whole numbers with a fraction or an exponent.
    if json?.kind == .number, let json {
      return Double(String(decoding: json.bytes, as: UTF8.self)).flatMap(Int.init(exactly:))
    }
    guard isLenient, let number = json?.stringValue.flatMap({ Int($0) }) else { return nil }
    oddities.append(.stringIssuedAt)
    return number
  }
}

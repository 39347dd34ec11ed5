import Formats
import Signing

@testable import PushEmulator

/// The provider's key in the tests.
enum SampleKey {
  private static let signer: SigningKey = {
    guard let key = try? SigningKey.generate() else { preconditionFailure("OpenSSL makes no key") }
    return key
  }()

  static let provider: ProviderKey = {
    guard let key = try? signer.verificationKey() else { preconditionFailure("OpenSSL gives no public key") }
    return ProviderKey(keyID: "LOCALKEY01", teamID: "LOCALTEAM1", key: key)
  }()

  /// A signature is another one each time, and APNs wants the same token for twenty minutes.
  static let usual = authorization()

  static func authorization(
    scheme: String = "bearer", header: String = #"{"alg":"ES256","kid":"LOCALKEY01"}"#, iss: String = "LOCALTEAM1",
    iat: String = "1800000000", alter: (inout [UInt8]) -> Void = { _ in }
  ) -> String {
    let text = [header, #"{"iss":"\#(iss)","iat":\#(iat)}"#].map { Base64URL.encode(Array($0.utf8)) }
    var signature = (try? signer.sign(Array(text.joined(separator: ".").utf8))) ?? []
    alter(&signature)
    return "\(scheme) \((text + [Base64URL.encode(signature)]).joined(separator: "."))"
  }
}

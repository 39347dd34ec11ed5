import Formats
import FoundationEssentials
import FunctionKit
import Signing

/// Provider tokens as some libraries write them.
enum OddToken {
  private static let signer: SigningKey = {
    guard let key = try? SigningKey.generate() else { preconditionFailure("OpenSSL makes no key") }
    return key
  }()

  /// The body of `POST /keys`.
  static func key() throws -> RawJSON {
    RawJSON(object: [
      ("keyId", RawJSON("ODDKEY0001")), ("teamId", RawJSON("ODDTEAM001")),
      ("publicKey", RawJSON(try signer.verificationKey().pem())),
    ])
  }

  static func authorization(
    padding: String = "", quotesTime: Bool = false, _ alter: ([UInt8]) -> [UInt8] = { $0 }
  ) throws -> String {
    let now = Int(Date.now.timeIntervalSince1970)
    let time = quotesTime ? "\"\(now)\"" : "\(now)"
    let parts = [#"{"alg":"ES256","kid":"ODDKEY0001"}"#, #"{"iss":"ODDTEAM001","iat":\#(time)}"#]
    let text = parts.map { Base64URL.encode(Array($0.utf8)) }.joined(separator: ".")
    return "bearer \(text).\(Base64URL.encode(alter(try signer.sign(Array(text.utf8)))))\(padding)"
  }
}

extension [UInt8] {
  /// R and S of a raw signature as DER.
  func der() -> [UInt8] {
    let numbers = [prefix(32), suffix(32)].map { half -> [UInt8] in
      let short = [UInt8](half.drop { $0 == 0 })
      let number = short.first.map { $0 >= 0x80 } == true ? [0] + short : short
      return [2, UInt8(number.count)] + number
    }
    let both = numbers.flatMap(\.self)
    return [0x30, UInt8(both.count)] + both
  }
}

import FunctionKit
import Signing

/// A received request with a signature of AWS, and what that has to be.
///
/// Source: https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
struct SignedRequest {
  let credential: String
  let signedHeaders: [String]
  let signature: String
  private let method: String
  private let path: String
  private let headers: [String: String]
  private let body: String

  init(_ text: String) throws {
    let parts = text.split(separator: "\r\n\r\n", maxSplits: 1, omittingEmptySubsequences: false)
    let lines = parts[0].split(separator: "\r\n")
    let words = lines[0].split(separator: " ").map(String.init)
    (method, path) = (words[0], words[1])
    body = parts.count > 1 ? String(parts[1]) : ""
    let headers = Dictionary(
      lines.dropFirst().map { line in
        let colon = line.firstIndex(of: ":") ?? line.endIndex
        let value = line[colon...].dropFirst()
        return (line[..<colon].lowercased(), String(value.drop { $0 == " " }))
      }, uniquingKeysWith: { first, _ in first })
    self.headers = headers
    func part(_ name: String) -> String {
      let value = (headers["authorization"] ?? "").split(separator: "\(name)=").last ?? ""
      return String(value.prefix { $0 != "," })
    }
    credential = part("Credential")
    signedHeaders = part("SignedHeaders").split(separator: ";").map(String.init)
    signature = part("Signature")
  }

  /// The signature that the secret key makes of the request.
  func expected(secret: String) -> String {
    let scope = credential.split(separator: "/").dropFirst().map(String.init)
    let fields = signedHeaders.map { "\($0):\(headers[$0] ?? "")\n" }.joined()
    let canonical = [
      method, path, "", fields, signedHeaders.joined(separator: ";"), SHA256.hex(Array(body.utf8)[...]),
    ].joined(separator: "\n")
    let text = [
      "AWS4-HMAC-SHA256", headers["x-amz-date"] ?? "", scope.joined(separator: "/"),
      SHA256.hex(Array(canonical.utf8)[...]),
    ].joined(separator: "\n")
    let key = scope.reduce(Array("AWS4\(secret)".utf8)) { HMACSHA256.code(for: Array($1.utf8), key: $0) }
    return HMACSHA256.code(for: Array(text.utf8), key: key).map { byte in
      let digits = String(byte, radix: 16)
      return digits.count == 1 ? "0\(digits)" : digits
    }.joined()
  }
}

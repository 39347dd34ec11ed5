import FunctionKit

/// The file of `--keys`, which has the form of a sender's `APNS_KEYS_PATH`:
/// `{"keys":[{"keyId","teamId","path","environments","topics"}]}`, paths relative to the file.
enum KeyFile {
  static func read(_ path: String) throws(FunctionError) -> [ProviderKey] {
    guard let bytes = try Files.contentsIfThere(of: path) else {
      throw FunctionError(.misconfigured, "There is no file \(path).")
    }
    let folder = path.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
    do throws(BadRequest) {
      let json = try RawJSON.object(bytes)
      try json.checkMembers(["keys"])
      guard let list = json["keys"]?.elements, !list.isEmpty else { throw BadRequest("keys must be an array.") }
      var keys: [ProviderKey] = []
      for element in list {
        keys.append(try ProviderKey(element) { path throws(BadRequest) in try pem(path, in: folder) })
      }
      return keys
    } catch {
      throw FunctionError(.misconfigured, "\(path): \(error.sentence)")
    }
  }

  private static func pem(_ path: String, in folder: String) throws(BadRequest) -> String {
    let place = path.hasPrefix("/") || folder.isEmpty ? path : "\(folder)/\(path)"
    guard let bytes = try? Files.contentsIfThere(of: place) else { throw BadRequest("\(place) cannot be read.") }
    return String(decoding: bytes, as: UTF8.self)
  }
}

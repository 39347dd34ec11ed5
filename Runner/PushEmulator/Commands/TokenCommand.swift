import Emulation
import FoundationEssentials
import FunctionKit
import Signing

/// Makes a provider token, as a sender signs it.
struct TokenCommand: Sendable {
  let options: TokenOptions
  let environment: Environment
  let output: Output

  /// Prints the token for the `authorization` field, without its `bearer`.
  func run() throws(EmulatorError) {
    let (path, keyID, teamID) = try key
    guard let pem = try Files.contentsIfThere(of: path) else {
      throw .configuration("There is no key \(path): start the emulator first.")
    }
    do throws(SigningError) {
      let token = try JWT.signed(
        with: SigningKey(pem: String(decoding: pem, as: UTF8.self)), keyID: keyID, issuer: teamID,
        issuedAt: Int(Date.now.timeIntervalSince1970))
      output.write("\(token)\n")
    } catch {
      throw .configuration("The key \(path) cannot be used: \(error).")
    }
  }

  private var key: (path: String, keyID: String, teamID: String) {
    get throws(EmulatorError) {
      if let directory = options.directory {
        return (
          "\(directory)/AuthKey_\(EmulatorDirectory.keyID).p8", EmulatorDirectory.keyID, EmulatorDirectory.teamID
        )
      }
      guard let path = environment["APNS_KEY_PATH"], let keyID = environment["APNS_KEY_ID"],
        let teamID = environment["APNS_TEAM_ID"]
      else {
        throw .configuration(
          "token: give the emulator's --directory DIR, or set APNS_KEY_PATH, APNS_KEY_ID and APNS_TEAM_ID.")
      }
      return (path, keyID, teamID)
    }
  }
}

/// The command line of `push-emulator token`.
struct TokenOptions: Sendable, Equatable {
  /// The directory of the emulator whose key signs; `nil` for the key that the environment names.
  var directory: String?

  init(_ words: some Collection<String>) throws(EmulatorError) {
    var rest = Words(words)
    while let word = rest.next() {
      switch word {
      case "--directory": directory = try rest.value(of: word)
      default: throw .usage("token: unknown argument \(word); see --help.")
      }
    }
  }
}

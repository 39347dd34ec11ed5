import CLI
import Emulation
import FoundationEssentials
import FunctionKit
import Signing

/// Makes a provider token as a sender does.
struct TokenCommand: Command {
  static let help = Help.token
  /// The directory of the emulator whose key signs; `nil` for the key that the environment names.
  private let directory: String?

  init(_ arguments: CommandArguments) throws {
    var arguments = arguments
    directory = try arguments.value("--directory")
    try arguments.finish()
  }

  /// Prints the token for the `authorization` field, without its `bearer`.
  func run() throws -> Int32 {
    let (path, keyID, teamID) = try key
    guard let pem = try Files.contentsIfThere(of: path) else {
      throw FunctionError(.misconfigured, "There is no key \(path): start the emulator first.")
    }
    do throws(SigningError) {
      let token = try JWT.signed(
        with: SigningKey(pem: String(decoding: pem, as: UTF8.self)), keyID: keyID, issuer: teamID,
        issuedAt: Int(Date.now.timeIntervalSince1970))
      return Console.say(token)
    } catch {
      throw FunctionError(.misconfigured, "The key \(path) cannot be used: \(error).")
    }
  }

  private var key: (path: String, keyID: String, teamID: String) {
    get throws(FunctionError) {
      if let directory {
        return (
          "\(directory)/AuthKey_\(EmulatorDirectory.keyID).p8", EmulatorDirectory.keyID, EmulatorDirectory.teamID
        )
      }
      let environment = Environment.current()
      guard let path = environment["APNS_KEY_PATH"], let keyID = environment["APNS_KEY_ID"],
        let teamID = environment["APNS_TEAM_ID"]
      else {
        throw FunctionError(
          .misconfigured,
          "Give the emulator's --directory DIR, or set APNS_KEY_PATH, APNS_KEY_ID and APNS_TEAM_ID.")
      }
      return (path, keyID, teamID)
    }
  }
}

import CLI
import FoundationEssentials
import FunctionKit
import Signing

/// Makes a provider token as a sender does.
enum TokenCommand {
  private static let folder = Option.text(
    "--directory", "DIR", "use the key of the emulator that keeps its files there")

  static let spec = CommandSpec(
    "token", "make a provider token, as a sender signs it", called: "push-emulator token", [folder],
    notes: """
      It is for the authorization field, and good for an hour.
      environment, without --directory: APNS_KEY_PATH, APNS_KEY_ID, APNS_TEAM_ID
      exit: 0 done, 64 bad usage, 78 there is no such key.
      """, run: { try run($0) })

  /// Prints the token for the `authorization` field, without its `bearer`.
  private static func run(_ arguments: CommandArguments) throws -> Int32 {
    let (path, keyID, teamID) = try key(of: arguments[folder])
    guard let pem = try Files.contentsIfThere(of: path) else {
      throw FunctionError(.misconfigured, "There is no key \(path): start the emulator first.")
    }
    do throws(SigningError) {
      let token = try JWT.signed(
        with: SigningKey(pem: String(decoding: pem, as: UTF8.self)), keyID: keyID, issuer: teamID,
        issuedAt: Int(Date.now.timeIntervalSince1970))
      return TerminalWriter.say(token)
    } catch {
      throw FunctionError(.misconfigured, "The key \(path) cannot be used: \(error).")
    }
  }

  /// - Parameter directory: that of the emulator whose key signs; `nil` for the key that the environment names.
  private static func key(of directory: String?) throws(FunctionError) -> (path: String, keyID: String, teamID: String)
  {
    if let directory {
      return ("\(directory)/AuthKey_\(EmulatorDirectory.keyID).p8", EmulatorDirectory.keyID, EmulatorDirectory.teamID)
    }
    let environment = Environment.current()
    guard let path = environment["APNS_KEY_PATH"], let keyID = environment["APNS_KEY_ID"],
      let teamID = environment["APNS_TEAM_ID"]
    else {
      throw FunctionError(
        .misconfigured, "Give the emulator's --directory DIR, or set APNS_KEY_PATH, APNS_KEY_ID and APNS_TEAM_ID.")
    }
    return (path, keyID, teamID)
  }
}

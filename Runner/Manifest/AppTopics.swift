extension Manifest {
  /// The variable that tells functions which topic an app's devices have: `app=bundle id,…`.
  package static let topicsVariable = "APNS_TOPICS"

  /// An app whose people functions notify, by its name in the column `app`.
  struct App {
    let name: String
    /// Its id at Apple.
    let bundleID: String?

    /// Reads `apps`.
    static func all(_ node: ManifestNode) throws(ManifestError) -> [App] {
      var apps: [App] = []
      for (name, app) in try node.members() {
        guard FunctionEntry.isName(name) else {
          throw app.error("is not an app's name: lower-case letters, digits and single hyphens")
        }
        let bundleID = try app.members(allowed: ["bundleId"])["bundleId"]
        apps.append(App(name: name, bundleID: try bundleID.map(Self.bundleID)))
      }
      return apps
    }

    private static func bundleID(_ node: ManifestNode) throws(ManifestError) -> String {
      let text = try node.string()
      let isValid = text.utf8.allSatisfy { byte in
        let character = Character(UnicodeScalar(byte))
        return character.isASCII && (character.isLetter || character.isNumber || character == "." || character == "-")
      }
      guard isValid, text.utf8.count <= 255 else { throw node.error("must be a bundle id such as com.example.app") }
      return text
    }
  }

  /// Gives the topics to the functions that ask for them.
  mutating func setTopics(_ apps: [App]) {
    let topics = apps.sorted { $0.name < $1.name }.compactMap { app in app.bundleID.map { "\(app.name)=\($0)" } }
    guard !topics.isEmpty else { return }
    for index in functions.indices where functions[index].environment.contains(Self.topicsVariable) {
      functions[index].settings[Self.topicsVariable] = topics.joined(separator: ",")
    }
  }
}

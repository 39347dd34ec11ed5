extension Manifest {
  /// The apps whose people functions tell, as rows name them in `app`.
  package static let apps = ["feedbackkit", "lockitin", "messageai", "mugshot", "repairminder"]
  /// By this variable functions learn which topic an app's devices have: `app=bundle id,…`.
  package static let topicsVariable = "APNS_TOPICS"

  /// Reads `apps`: an app's bundle id by its name.
  static func topics(_ node: ManifestNode) throws(ManifestError) -> String? {
    var entries: [String] = []
    for (name, app) in try node.members(allowed: apps).sorted(by: { $0.key < $1.key }) {
      guard let bundleID = try app.members(allowed: ["bundleId"])["bundleId"] else {
        throw app.error("has no \"bundleId\"")
      }
      let text = try bundleID.string()
      let isValid = text.utf8.allSatisfy { byte in
        let character = Character(UnicodeScalar(byte))
        return character.isASCII && (character.isLetter || character.isNumber || character == "." || character == "-")
      }
      guard isValid, text.utf8.count <= 255 else { throw bundleID.error("must be a bundle id such as com.example.app") }
      entries.append("\(name)=\(text)")
    }
    return entries.isEmpty ? nil : entries.joined(separator: ",")
  }

  /// Gives the topics to the functions that ask for them.
  mutating func setTopics(_ topics: String?) {
    for index in functions.indices where functions[index].environment.contains(Self.topicsVariable) {
      functions[index].settings[Self.topicsVariable] = topics
    }
  }
}

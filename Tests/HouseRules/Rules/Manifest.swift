import Foundation

/// The members of `functions.json` that rules need.
struct Manifest: Decodable {
  struct Function: Decodable {
    /// The path of its sample event, from the root.
    let sample: String?
  }

  let functions: [String: Function]
}

extension House {
  static var manifest: Manifest {
    get throws { try JSONDecoder().decode(Manifest.self, from: Data(text("functions.json").utf8)) }
  }
}

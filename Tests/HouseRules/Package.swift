// swift-tools-version: 6.2
import PackageDescription

// The rules of the house: they read the repository's files, and need nothing that is built. `Tests/house` runs them.
let package = Package(
  name: "house",
  targets: [.testTarget(name: "House", path: "Rules", swiftSettings: [.treatAllWarnings(as: .error)])]
)

import Foundation
import Testing

/// Leaves figures where `Tests/house` looks for them; no rule is asked.
struct FigureTests {
  private static let folder = ProcessInfo.processInfo.environment["HOUSE_FIGURES"]

  @Test(.enabled(if: folder != nil)) func theFiguresAreWritten() throws {
    let house = try HouseFigures.all.get()
    // An earlier house may not have the files that say it.
    let places = (try? HousePlaces().all) ?? []
    let figures =
      house.figures
      + places.map { HouseFigures.Figure(name: "files for a new \($0.name)", value: $0.files.count) }

    try write(house.text, to: "modules")
    try write(house.largest, to: "largest")
    try write(
      places.map { "a new \($0.name): \($0.files.joined(separator: ", "))" }.joined(separator: "\n"), to: "places")
    try write(figures.map { "\($0.name)\t\($0.value)\t\($0.goal)" }.joined(separator: "\n"), to: "figures")
  }

  private func write(_ text: String, to file: String) throws {
    guard let folder = Self.folder else { return }
    try "\(text)\n".write(toFile: "\(folder)/\(file)", atomically: true, encoding: .utf8)
  }
}

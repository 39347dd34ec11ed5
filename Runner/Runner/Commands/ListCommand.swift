import CLI
import Documents
import FunctionKit
import Inspection
import Manifest

/// `runner list`: the functions and what triggers them.
enum ListCommand {
  static let spec = CommandSpec("list", "the functions and what triggers them", [Reply.option], run: { try run($0) })

  private static func run(_ arguments: CommandArguments) throws -> Int32 {
    let context = try CommandContext(arguments)
    let functions = context.project.manifest.functions
    var table = Table(["function", "mode", "triggers"], flexible: ["triggers"])
    for entry in functions {
      let mode =
        entry.target.map { "url (\($0.engine.rawValue))" }
        ?? entry.mode.rawValue + (entry.batch.map { ", batch \($0)" } ?? "")
      table.add([entry.name, mode, entry.triggers.map(\.summary).joined(separator: "; ")])
    }
    return try context.answer(functions.map(FunctionLine.init), text: table.text)
  }
}

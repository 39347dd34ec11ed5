import CLI
import FunctionKit
import Locales
import Notifications
import StoreLive

/// `push words`: prints all texts of a language, for who translates them.
enum WordsCommand {
  private static let language = Option.text("--language", "TAG", "such as de or pt-BR").required
  private static let list = Reply.option.saying(#"an array of {"name","text","missing"}"#)

  static let spec = CommandSpec(
    "words", "print the texts of a language for a translator",
    [language, list],
    notes: """
      It prints them as the language's file has them, a line each, with all plural
      forms that the language needs. A line that begins with # is one that the
      language lacks: people read what it says, in English or in another form.
      environment: PUSH_LANGUAGES, the folder of an app's own texts.
      exit: 0 done, 64 bad usage.
      """, run: run)

  private static func run(_ arguments: CommandArguments) async throws -> Int32 {
    let text = try arguments.required(language)
    guard let tag = LanguageTag(text) else {
      throw FunctionError(.usage, "--language takes the tag of a language, such as de or pt-BR.")
    }
    Texts.add(of: .current())
    let lines = Translation(tag).lines
    let documents = lines.map { line in
      RawJSON(object: [
        ("name", RawJSON(line.name)), ("text", RawJSON(line.text)), ("missing", RawJSON(line.isMissing)),
      ])
    }
    return Reply(arguments)(
      json: RawJSON(array: documents),
      text: lines.map { "\($0.isMissing ? "# " : "")\($0.name) = \($0.text)" }.joined(separator: "\n"))
  }
}

import CLI
import FunctionKit
import Glibc
import Manifest
import System

/// `runner completions`: prints the script with which a shell asks the runner for completions.
enum CompletionsCommand {
  enum Shell: String, CaseIterable {
    case bash, zsh, fish
  }

  static let spec = CommandSpec(
    "completions", "the script by which bash, zsh or fish completes words",
    verbs: Shell.allCases.map { shell in
      CommandSpec(shell.rawValue, shell.place, Form([], closed: true)) { _ in TerminalWriter.say(shell.script) }
    } + [CommandSpec("arguments", "", Form([], closed: true), isOpen: true, run: { complete($0) }).hidden])

  /// The command that the scripts run, with the words behind `runner`.
  private static func complete(_ arguments: CommandArguments) -> Int32 {
    let project = try? Project()
    let completion = Completion(manifest: project?.manifest) { entry in
      project.map { help(of: entry, $0) } ?? ""
    }
    TerminalWriter.write(completion.candidates(arguments.words).map { "\($0)\n" }.joined(), to: STDOUT_FILENO)
    return 0
  }

  private static func help(of entry: CommandEntry, _ project: Project) -> String {
    let arguments = ([project.executable(entry.executable)] + entry.arguments + ["--help"]).map {
      "'\($0.escaping("'", as: #"'\''"#))'"
    }
    guard let output = popen(arguments.joined(separator: " ") + " 2>&1", "r") else { return "" }
    defer { pclose(output) }
    var text: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 4_096)
    while case let count = fread(&chunk, 1, chunk.count, output), count > 0 { text += chunk[..<count] }
    return String(decoding: text, as: UTF8.self)
  }
}

extension CompletionsCommand.Shell {
  /// Where the script belongs.
  var place: String {
    switch self {
    case .bash: "source <(runner completions bash), in ~/.bashrc"
    case .zsh: "source <(runner completions zsh), in ~/.zshrc behind compinit"
    case .fish: "runner completions fish > runner.fish, in the folder ~/.config/fish/completions"
    }
  }

  /// The shell offers files if the runner knows no word.
  var script: String {
    switch self {
    case .bash:
      #"""
      _runner() {
        local IFS=$'\n'
        COMPREPLY=($("$1" completions arguments "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
      }
      complete -o default -F _runner runner
      """#
    case .zsh:
      #"""
      #compdef runner
      _runner() {
        local -a found
        found=("${(@f)$($arguments[1] completions arguments "${(@)arguments[2,CURRENT]}" 2>/dev/null)}")
        found=(${found:#})
        if (( $#found )); then compadd -a found; else _files; fi
      }
      compdef _runner runner
      """#
    case .fish:
      #"""
      complete -c runner -f -a '(runner completions arguments (commandline -opc)[2..] (commandline -ct) 2>/dev/null)'
      complete -c runner -l project -l state-dir -l event -rF
      """#
    }
  }
}

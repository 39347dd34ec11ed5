import Foundation
import TestSupport
import Testing

/// The files on the page of a release, made of the programs under test, and its installer.
@Suite(.heavy, .qualifiesReleases)
struct ReleaseTests {
  private static let tools = ["umoci", "skopeo", "tini", "ssh-keygen", "zstd", "curl"]

  @Test(
    .enabled(
      if: getenv("PUSH_FUNCTIONS_PRODUCTS") != nil
        && tools.allSatisfy { access("/usr/bin/\($0)", X_OK) == 0 },
      "Not run: a release is made of release builds, with umoci, skopeo and tini; Tests/run has them."))
  func whatIsSignedIsInstalledWithTheStoryAndNothingElseIs() async throws {
    let folder = try TemporaryDirectory()
    let script = try folder.write(Self.script, to: "script")

    let outcome = try await BuiltExecutables.run(
      "/bin/bash", [script, House.root.path, folder.path],
      environment: [
        "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/sbin:/usr/bin:/sbin:/bin",
        // Git's settings may be there; what is installed gets another one.
        "HOME": ProcessInfo.processInfo.environment["HOME"] ?? folder.path,
        "PUSH_FUNCTIONS_PRODUCTS": BuiltExecutables.directory, "RUNNER_PORT": "0",
      ], timeout: .seconds(900))

    let text = "\n" + outcome.stdout
    #expect(outcome.exit == 0, "\(text)\(outcome.stderr)")
    #expect(text.contains("\n> checked\n> image: amd64") || text.contains("\n> checked\n> image: arm64"), "\(text)")
    #expect(text.contains("\n> notes: as many as there are commits\n"), "\(text)")
    #expect(text.contains("Good \"push-functions-release\" signature for release with ED25519 key SHA256:"), "\(text)")
    #expect(text.contains("\n> the story has ended: 0\n"), "\(text)\(outcome.stderr)")
    #expect(text.contains("\n> kept: .env, .runner; aside: bin/mine functions.json\n"), "\(text)\(outcome.stderr)")
    #expect(text.contains("\n> after a kill: 0\n"), "\(text)\(outcome.stderr)")
    for refusal in [
      "another key", "another key for the first time", "another use of the key", "changed archive", "another folder",
      "no tools", "no release", "an earlier version", "another machine",
    ] {
      #expect(text.contains("\n> \(refusal): 69, nothing installed\n"), "\(text)\(outcome.stderr)")
    }
    for refusal in ["not committed", "programs of another commit", "no key"] {
      #expect(text.contains("\n> \(refusal): 65, nothing made\n"), "\(text)\(outcome.stderr)")
    }
    #expect(outcome.stderr.contains("There are changes that are not committed"), "\(outcome.stderr)")
    #expect(outcome.stderr.contains("The programs that are built are not of commit"), "\(outcome.stderr)")
    #expect(outcome.stderr.contains("has a later version, 999.0: nothing was installed."), "\(outcome.stderr)")
    #expect(outcome.stderr.contains("is not signed by the key of this file"), "\(outcome.stderr)")
    #expect(outcome.stderr.contains("is not what was signed"), "\(outcome.stderr)")
    #expect(outcome.stderr.contains("has something else in it"), "\(outcome.stderr)")
    #expect(outcome.stderr.contains(/This release is for Linux on \w+; here is Linux riscv64\.\n/), "\(outcome.stderr)")
    #expect(outcome.stderr.contains("apt-get install openssh-client zstd\n"), "\(outcome.stderr)")
  }

  /// Its words are the repository and a folder.
  private static let script = #"""
    set -euo pipefail
    root=$1
    cd "$2"
    mkdir home
    for key in key other; do ssh-keygen -q -t ed25519 -N '' -C '' -f "$key"; done

    # made NAME FOLDER ARGUMENTS...: that nothing is made of the folder's checkout.
    made() {
      local status=0
      "$2/Runner/release" --skip-build --out none "${@:3}" </dev/null || status=$?
      [[ -n $(find none -name SHA256SUMS 2>/dev/null) ]] || echo "> $1: $status, nothing made"
    }
    git clone --quiet "$root" clone
    git -C clone -c user.name=Test -c user.email=test@example.com commit --quiet --allow-empty -m 'One more'
    made "programs of another commit" clone --key key
    echo >>clone/README.md
    made "not committed" clone --key key
    cp key.pub gone.pub
    made "no key" "$root" --trial --key gone.pub

    # A clone of a depth has no commit before its only one.
    since=$(git -C "$root" rev-parse --quiet --verify HEAD~1 || git -C "$root" rev-parse HEAD)
    "$root/Runner/release" --trial --skip-build --level 1 --key key --since "$since" --out releases
    page=$(echo "$PWD"/releases/push-functions-*)
    (cd "$page" && sha256sum --check --quiet SHA256SUMS)
    [[ $(ls "$page" | sed -E 's/push-functions[-_].*\.(tar.zst|deb|oci.tar)/\1/' | sort | xargs) == \
      'NOTES.md SHA256SUMS SHA256SUMS.sig deb install.sh oci.tar sbom.cdx.json tar.zst' ]]
    echo "> checked"
    echo "> image: $(skopeo inspect --format '{{.Architecture}}' "oci-archive:$(echo "$page"/*.oci.tar)")"
    commits=$(git -C "$root" rev-list --count --no-merges "$since..HEAD")
    [[ $(grep -c '^- \*\*.*\.\*\*' "$page/NOTES.md" || true) == "$commits" ]] &&
      echo "> notes: as many as there are commits"

    export HOME=$PWD/home
    home=$HOME/push-functions status=0
    sh "$page/install.sh" "$page" --demo || status=$?
    echo "> the story has ended: $status"

    # The next one, over HTTP's way to a file.
    echo 'LOG_LEVEL=info' >"$home/.env"
    echo ' ' >>"$home/functions.json"
    echo mine >"$home/bin/mine"
    (cd "$HOME" && PUSH_FUNCTIONS_HOME=push-functions sh "$page/install.sh" "file://$page" --help >/dev/null)
    before=$(echo "$home"/.before-*)
    [[ $(tail -n 1 "$before/functions.json") == ' ' && $(tail -n 1 "$home/functions.json") != ' ' ]] &&
      [[ -e $home/.runner && -s $home/.env && -x $home/bin/runner ]] &&
      [[ ! -e $home/bin/mine && $(<"$before/bin/mine") == mine ]] &&
      echo "> kept: .env, .runner; aside: bin/mine functions.json"
    (cd "$home" && bin/runner reset --yes >/dev/null)

    # What a kill leaves of a first installation: before its files are there, and among them.
    mkdir -p killed/.new/files
    status=0
    PUSH_FUNCTIONS_HOME=killed sh "$page/install.sh" "$page" --help >/dev/null || status=$?
    rm killed/.version killed/functions.json
    PUSH_FUNCTIONS_HOME=killed sh "$page/install.sh" "$page" --help >/dev/null || status=$?
    [[ -x killed/bin/runner && -s killed/functions.json && ! -e killed/.new ]] && echo "> after a kill: $status"

    list() { [[ ! -d $1 ]] || find "$1" -mindepth 1 | sort; }
    # refused NAME HOME COMMAND...: that it is, and that the folder is as it was.
    refused() {
      local before status=0
      before=$(list "$2")
      PUSH_FUNCTIONS_HOME=$2 "${@:3}" --help || status=$?
      [[ $(list "$2") != "$before" ]] || echo "> $1: $status, nothing installed"
    }
    cp -r "$page" forged
    rm forged/SHA256SUMS.sig
    ssh-keygen -q -Y sign -n push-functions-release -f other forged/SHA256SUMS
    sed -i "s,$(cut -d' ' -f2 key.pub),$(cut -d' ' -f2 other.pub)," forged/install.sh
    refused "another key" "$home" sh forged/install.sh forged
    refused "another key for the first time" "$PWD/first" sh "$page/install.sh" forged
    cp -r "$page" used
    rm used/SHA256SUMS.sig
    ssh-keygen -q -Y sign -n file -f key used/SHA256SUMS
    refused "another use of the key" "$PWD/fifth" sh "$page/install.sh" used
    mkdir later
    cp "$home/.signers" later/
    echo 999.0 >later/.version
    refused "an earlier version" "$PWD/later" sh "$page/install.sh" "$page"
    cp -r "$page" changed
    echo >>"$(echo changed/*.tar.zst)"
    refused "changed archive" "$PWD/second" sh "$page/install.sh" changed
    refused "another folder" "$root/Tests/Events" sh "$page/install.sh" "$page"
    mkdir few
    for tool in dirname grep ls uname; do ln -s "$(command -v "$tool")" few/; done
    refused "no tools" "$PWD/third" env PATH="$PWD/few" /bin/sh "$page/install.sh" "$page"
    mkdir machine
    printf '#!/bin/sh\necho Linux riscv64\n' >machine/uname
    chmod 755 machine/uname
    refused "another machine" "$PWD/sixth" env PATH="$PWD/machine:$PATH" sh "$page/install.sh" "$page"
    refused "no release" "$PWD/fourth" sh "$page/install.sh" "file://$PWD/nothing"
    """#
}

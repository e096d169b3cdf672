using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Reflection;
using System.Text;
using System.Text.RegularExpressions;

namespace BigPile.Architecture.Tests;

/// <summary>The diagrams of blocks' states are drawn from the table of transitions in the code.</summary>
/// <remarks>
/// A page asks for a part of it: <c>&lt;!-- drawn: free, object -> busy object --&gt;</c>, with <c>*</c> for all states. The diagram stands
/// between that line and <c>&lt;!-- end --&gt;</c>.
/// </remarks>
public sealed partial class CrashDiagramTests
{
    private const string ApprovingVariable = "BIGPILE_APPROVE";

    private static readonly Assembly Library = Assembly.LoadFrom(Path.Combine(AppContext.BaseDirectory, "BigPile.dll"));
    private static readonly string[] States = Library.GetType("BigPile.Layout.BlockState", throwOnError: true)!.GetEnumNames();

    private static readonly string[] PagesWithOne = ["block-states.md", "delete.md", "put.md", "replace.md"];

    public static TheoryData<string> Pages => [.. PagesWithOne];

    [Theory]
    [MemberData(nameof(Pages))]
    public void The_states_of_blocks_are_drawn_as_the_code_has_them(string page)
    {
        string path = CrashDocuments.PagePaths.Single(one => Path.GetFileName(one) == page);
        string text = File.ReadAllText(path);
        Assert.Single(Part().Matches(text));
        string drawn = Part().Replace(
            text, static part => $"{part.Groups[1].Value}\n{Diagram(part.Groups[2].Value, part.Groups[3].Value)}<!-- end -->");
        if (Environment.GetEnvironmentVariable(ApprovingVariable) == "1")
            File.WriteAllText(path, drawn);
        string difference = LineDifference.Of(File.ReadAllText(path).Split('\n'), drawn.Split('\n'));
        Assert.True(
            difference.Length == 0,
            $"{page} does not have the transitions of BlockTransitions:\n{difference}If they are meant, write them: "
            + $"{ApprovingVariable}=1 dotnet test tests/BigPile.Architecture.Tests -c Release --filter CrashDiagramTests");
    }

    [Fact]
    public void No_other_page_asks_for_a_diagram() =>
        Assert.Equal(PagesWithOne, CrashDocuments.PagePaths
            .Where(static path => Part().IsMatch(File.ReadAllText(path))).Select(static path => Path.GetFileName(path)));

    private static string Diagram(string sources, string followers)
    {
        (int From, int To)[] arrows = [.. Transitions().Where(arrow => IsIn(arrow.From, sources) && IsIn(arrow.To, followers))];
        var text = new StringBuilder("\n```mermaid\nstateDiagram-v2\n");
        foreach (int state in arrows.SelectMany(static arrow => new[] { arrow.From, arrow.To }).Distinct().Order())
            text.Append($"    state \"{WordsOf(state)}\" as {States[state]}\n");
        foreach ((int source, int next) in arrows)
            text.Append($"    {States[source]} --> {States[next]}\n");
        return text.Append("```\n\n").ToString();
    }

    private static bool IsIn(int state, string list) => list == "*" || list.Split(", ").Contains(WordsOf(state));

    private static IEnumerable<(int From, int To)> Transitions()
    {
        FieldInfo? table = Library.GetType("BigPile.Layout.BlockTransitions", throwOnError: true)!
            .GetField("NextStates", BindingFlags.NonPublic | BindingFlags.Static);
        byte[] next = Assert.IsType<byte[]>(table?.GetValue(null));
        Assert.Equal(States.Length, next.Length);
        return
            from source in Enumerable.Range(0, next.Length)
            from state in Enumerable.Range(0, next.Length)
            where (next[source] >> state & 1) != 0
            select (source, state);
    }

    private static string WordsOf(int state) => string.Join(' ', Identifiers.WordsOf(States[state]));

    [GeneratedRegex("(<!-- drawn: (.+?) -> (.+?) -->)\n(?s:.*?)<!-- end -->")]
    private static partial Regex Part();
}

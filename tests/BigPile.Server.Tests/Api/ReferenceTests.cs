using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Text.RegularExpressions;
using BigPile.Http.Api;
using BigPile.Http.Protocol;

namespace BigPile.Server.Tests.Api;

/// <summary>API.md, the reference for authors of clients, lists exactly what the service's catalogues list.</summary>
public sealed partial class ReferenceTests
{
    private const string Table = "/v1/tables/{table}";

    private static readonly string[] Reference = File.ReadAllLines(Path.Combine(SourceTree.Root, "src/BigPile.Http/API.md"));

    [Fact]
    public void The_routes_are_those_of_the_catalogue()
    {
        IEnumerable<string> stated = Routes().SelectMany(static row => row.Operations);
        IEnumerable<string> served = ApiCatalog.All.Select(static operation => $"{operation.Method.ToUpperInvariant()} {operation.Path}");
        Assert.Equal(served.Order(StringComparer.Ordinal), stated.Order(StringComparer.Ordinal));
    }

    [Fact]
    public void A_row_of_routes_has_the_statuses_of_what_went_well()
    {
        foreach ((string[] operations, int[] statuses) in Routes())
        {
            IEnumerable<int> served = ApiCatalog.All
                .Where(operation => operations.Contains($"{operation.Method.ToUpperInvariant()} {operation.Path}"))
                .SelectMany(static operation => operation.Others.Select(static other => other.Status).Append(operation.Status));
            Assert.True(
                served.Distinct().Order().SequenceEqual(statuses),
                $"{string.Join(", ", operations)}: {string.Join(", ", served.Distinct().Order())} are answered.");
        }
    }

    [Fact]
    public void The_errors_are_those_of_the_catalogue()
    {
        IEnumerable<string> stated = Rows("Errors");
        IEnumerable<string> served =
            ProblemCatalog.All().Select(static problem => $"| {problem.Status} | `{problem.Code}` | {problem.Title} |");
        Assert.Equal(served, stated);
    }

    [Fact]
    public void A_path_or_an_action_in_the_text_is_one_that_there_is()
    {
        string[] paths = [.. ApiCatalog.All.Select(static operation => operation.Path)];
        string text = string.Join('\n', Reference);
        Assert.All(AnyPath().Matches(text), match => Assert.Contains(paths, path => IsAt(path, match.Value.TrimEnd('.', ':'))));
        Assert.All(AnyAction().Matches(text), match => Assert.Contains(
            paths, path => path.EndsWith(match.Groups[1].Value, StringComparison.Ordinal)));
    }

    private static bool IsAt(string path, string stated) =>
        Regex.IsMatch(stated, "^" + Regex.Replace(Regex.Escape(path), @"\\\{[a-z]+}", "[^ ]+") + "$", RegexOptions.CultureInvariant);

    private static List<(string[] Operations, int[] Statuses)> Routes()
    {
        var rows = new List<(string[], int[])>();
        foreach (string row in Rows("Routes"))
        {
            string[] cells = row.Split('|', StringSplitOptions.TrimEntries);
            int[] statuses = [.. cells[2].Split(", ").Select(static status => int.Parse(status, CultureInfo.InvariantCulture))];
            rows.Add(([.. OperationsIn(cells[1])], statuses));
        }
        return rows;
    }

    // A method holds for the paths behind it; "…" is a table; an action alone goes with the path before it.
    private static IEnumerable<string> OperationsIn(string cell)
    {
        var methods = new List<string>();
        string path = "";
        foreach (string word in Quoted().Matches(cell).SelectMany(static match => match.Groups[1].Value.Split(' ')))
        {
            if (word.All(char.IsAsciiLetterUpper))
            {
                if (path.Length != 0)
                    methods.Clear();
                path = "";
                methods.Add(word);
                continue;
            }
            path = word[0] == ':' ? LastPath(path) + word : word.Replace("…", Table, StringComparison.Ordinal);
            foreach (string method in methods)
                yield return $"{method} {path}";
        }
    }

    private static string LastPath(string path) => path[..path.LastIndexOf(':')];

    private static IEnumerable<string> Rows(string section) => Reference
        .SkipWhile(line => line != "## " + section).Skip(1).TakeWhile(static line => !line.StartsWith("## ", StringComparison.Ordinal))
        .Where(static line => line.StartsWith('|')).Skip(2);

    [GeneratedRegex("`([^`]+)`")]
    private static partial Regex Quoted();

    [GeneratedRegex(@"(?<=[` ]|:5080)/(?:v1|health|openapi)/[^` ?\n$,]*")]
    private static partial Regex AnyPath();

    [GeneratedRegex(@"(?:`|\$T(?:/entries/[a-z]+)?)(:[a-z]+)\b")]
    private static partial Regex AnyAction();
}

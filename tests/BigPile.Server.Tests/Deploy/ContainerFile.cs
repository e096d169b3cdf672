using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Text.Json;
using System.Text.RegularExpressions;

namespace BigPile.Server.Tests.Deploy;

/// <summary>What the Dockerfile runs, read out of it.</summary>
internal sealed partial class ContainerFile
{
    private readonly string[] _lines;

    internal ContainerFile()
    {
        string text = File.ReadAllText(Path.Combine(SourceTree.Root, "Dockerfile"));
        _lines = Continuation().Replace(text, " ").Split('\n');
    }

    /// <summary>The command that publishes.</summary>
    internal string[] Publish =>
        _lines.Single(static line => line.StartsWith("RUN dotnet publish ", StringComparison.Ordinal))["RUN ".Length..].Split(' ');

    internal string[] EntryPoint => CommandOf("ENTRYPOINT ");

    internal string[] HealthCheck => CommandOf("CMD ");

    internal bool HasUser => _lines.Contains("USER $APP_UID");

    internal Dictionary<string, string> Environment => Variable()
        .Matches(_lines.Single(static line => line.StartsWith("ENV ", StringComparison.Ordinal)))
        .ToDictionary(static match => match.Groups[1].Value, static match => match.Groups[2].Value.Trim('"'), StringComparer.Ordinal);

    private string[] CommandOf(string instruction)
    {
        string line = _lines.Single(line => line.Contains(instruction + "[", StringComparison.Ordinal));
        return JsonSerializer.Deserialize<string[]>(line[line.IndexOf('[', StringComparison.Ordinal)..])!;
    }

    [GeneratedRegex(@"\\\r?\n\s*")]
    private static partial Regex Continuation();

    [GeneratedRegex(@"(\w+)=(\S+)")]
    private static partial Regex Variable();
}

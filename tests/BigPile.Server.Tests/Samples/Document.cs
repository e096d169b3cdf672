using System;
using System.Collections.Generic;
using System.IO;
using System.Text;

namespace BigPile.Server.Tests.Samples;

/// <summary>A command in a document.</summary>
/// <param name="Text">What is typed.</param>
/// <param name="Comment">What the document says behind it.</param>
/// <param name="Answer">The lines that it is said to print, each whole or, before an ellipsis, in part.</param>
internal sealed record Command(string Text, string Comment, List<string> Answer);

/// <summary>The commands that a document gives: the lines of indented blocks, and those behind a <c>$</c> of console blocks.</summary>
internal static class Document
{
    internal static List<Command> Read(string path)
    {
        var commands = new List<Command>();
        bool isConsole = false, isFenced = false;
        var open = new StringBuilder();
        foreach (string line in File.ReadLines(Path.Combine(SourceTree.Root, path)))
        {
            if (line.StartsWith("```", StringComparison.Ordinal))
            {
                isConsole = line == "```console";
                isFenced = !isFenced;
            }
            else if (isConsole && !line.StartsWith("$ ", StringComparison.Ordinal))
            {
                commands[^1].Answer.Add(line);
            }
            else if (isConsole || (!isFenced && line.StartsWith("    ", StringComparison.Ordinal)))
            {
                open.Append(isConsole ? line[2..] : line.Trim());
                if (open[^1] == '\\')
                {
                    open.Length--;
                    continue;
                }
                string[] parts = open.ToString().Split(" # ", 2);
                commands.Add(new Command(parts[0].TrimEnd(), parts.Length > 1 ? parts[1].Trim() : "", []));
                open.Clear();
            }
        }
        return commands;
    }
}

using System;
using System.Collections.Generic;
using System.Threading.Tasks;
using BigPile.Server.Tests.Support;

namespace BigPile.Server.Tests.Samples;

/// <summary>The commands of the documents as they stand, one after the other, by the program that was built.</summary>
public sealed class ReadmeTests
{
    // What these do has tests of its own: of the packages, and of what the Dockerfile publishes.
    private static readonly string[] Elsewhere = ["dotnet test ", "dotnet pack ", "dotnet tool ", "dotnet publish ", "docker "];

    [ProgramTheory("/usr/bin/curl")]
    [InlineData("README.md")]
    [InlineData("src/BigPile.Server/README.md")]
    [InlineData("src/BigPile.Http/API.md")]
    [InlineData("deploy/README.md")]
    public async Task Each_command_does_what_the_document_says(string path)
    {
        List<Command> commands = Document.Read(path);
        commands.RemoveAll(static command => Array.Exists(Elsewhere, other => command.Text.StartsWith(other, StringComparison.Ordinal)));
        Assert.NotEmpty(commands);
        await using var reader = new Reader();
        foreach (Command command in commands)
            await reader.TypeAsync(command);
    }
}

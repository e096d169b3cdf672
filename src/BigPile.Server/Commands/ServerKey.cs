using System;
using System.CommandLine;
using System.IO;
using System.Linq;
using BigPile.Server.Loading;

namespace BigPile.Server.Commands;

/// <summary>The API key that a command sends to a server.</summary>
/// <remarks>It comes from a file or the environment, never from the command line, which every user of the machine can list.</remarks>
internal static class ServerKey
{
    private const string Variable = "BIGPILE_KEY";

    internal static Option<string?> CreateOption() => new("--key-file")
    {
        Description = $"A file with the key to show to the server, as 'key' made it: NAME.SECRET. Default: the environment's {Variable}.",
    };

    /// <summary>Reads the key.</summary>
    /// <param name="path">The key's file; <see langword="null"/>: the environment variable is read.</param>
    /// <returns>The key, or <see langword="null"/> when there is none.</returns>
    /// <exception cref="LoadException">The file or variable holds no key.</exception>
    internal static string? Read(string? path)
    {
        string? key = path == null ? Environment.GetEnvironmentVariable(Variable) : File.ReadAllText(path);
        key = key?.Trim();
        if (string.IsNullOrEmpty(key))
            return path == null
                ? null
                : throw new LoadException($"The file '{path}' is empty. It must hold a key, as the command 'key' made it.");
        string place = path == null ? $"The environment's {Variable}" : $"The file '{path}'";
        return key.All(static character => character is > ' ' and < (char)0x7F)
            ? key
            : throw new LoadException($"{place} holds no key: one is a single line of visible ASCII characters, NAME.SECRET.");
    }
}

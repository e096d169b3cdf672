using System;
using System.CommandLine;
using System.IO;
using System.Linq;
using BigPile.Server.Loading;

namespace BigPile.Server.Commands;

/// <summary>The key that a command shows to a server that asks for one.</summary>
/// <remarks>From a file or from the environment, and never from the command line, which every user of a machine can list.</remarks>
internal static class ServerKey
{
    private const string Variable = "BIGPILE_KEY";

    /// <summary>The option that names the key's file.</summary>
    internal static Option<string?> CreateOption() => new("--key-file")
    {
        Description = $"A file with the key to show to the server, as 'key' made it: NAME.SECRET. Default: the environment's {Variable}.",
    };

    /// <summary>Reads the key.</summary>
    /// <param name="path">The key's file; when left out the environment is asked.</param>
    /// <returns>The key, or <see langword="null"/> when there is none.</returns>
    /// <exception cref="LoadException">What is there is no key.</exception>
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

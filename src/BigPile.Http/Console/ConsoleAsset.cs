using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Reflection;
using System.Security.Cryptography;

namespace BigPile.Http.Console;

/// <summary>A file of the console.</summary>
/// <param name="Name">Its name.</param>
/// <param name="ContentType">Its type.</param>
/// <param name="Body">Its bytes.</param>
/// <param name="Tag">Its entity tag.</param>
internal sealed record ConsoleAsset(string Name, string ContentType, byte[] Body, string Tag)
{
    internal const string IndexName = "index.html";

    private const string ResourcePrefix = "console/";

    /// <summary>Reads all files from the assembly.</summary>
    internal static Dictionary<string, ConsoleAsset> ReadAll()
    {
        Assembly assembly = typeof(ConsoleAsset).Assembly;
        return assembly.GetManifestResourceNames()
            .Where(static name => name.StartsWith(ResourcePrefix, StringComparison.Ordinal))
            .Select(name => Read(assembly, name))
            .ToDictionary(static asset => asset.Name, StringComparer.Ordinal);
    }

    private static ConsoleAsset Read(Assembly assembly, string resource)
    {
        using Stream stream = assembly.GetManifestResourceStream(resource)!;
        var body = new byte[stream.Length];
        stream.ReadExactly(body);
        string tag = $"\"{Convert.ToHexStringLower(SHA256.HashData(body).AsSpan(0, 8))}\"";
        return new ConsoleAsset(resource[ResourcePrefix.Length..], ContentTypeOf(resource), body, tag);
    }

    private static string ContentTypeOf(string name) => Path.GetExtension(name) switch
    {
        ".html" => "text/html; charset=utf-8",
        ".css" => "text/css; charset=utf-8",
        ".js" => "text/javascript; charset=utf-8",
        ".svg" => "image/svg+xml",
        string other => throw new InvalidOperationException($"The page has a file of the type '{other}', which is not known here."),
    };
}

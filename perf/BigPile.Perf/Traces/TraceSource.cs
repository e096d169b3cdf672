using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Threading;
using BigPile.Perf.Loads;

namespace BigPile.Perf.Traces;

/// <summary>What the user names as a trace: a file, a directory of them, or one that is made.</summary>
internal static class TraceSource
{
    /// <summary>Names each trace by itself: of a directory all files below it that are traces by their names, in order.</summary>
    /// <exception cref="LoadException">There is no such file, or a directory has no trace.</exception>
    internal static IReadOnlyList<string> Expand(IEnumerable<string> names) => [.. names.SelectMany(Expand)];

    /// <summary>Reads or makes a trace.</summary>
    /// <inheritdoc cref="TraceFile.Read(string, TraceFormat?, ILoadProgress, CancellationToken)"/>
    internal static Trace Read(string name, TraceFormat? format, int seed, ILoadProgress progress, CancellationToken stop) =>
        SyntheticTrace.IsName(name) ? SyntheticTrace.Make(name, seed) : TraceFile.Read(name, format, progress, stop);

    private static IEnumerable<string> Expand(string name)
    {
        if (SyntheticTrace.IsName(name) || File.Exists(name))
            return [name];
        if (!Directory.Exists(name))
        {
            string made = string.Join(", ", SyntheticTrace.AllNames);
            throw new LoadException($"'{name}' does not exist. Name a file, a directory of files, or one of {made}.");
        }
        string[] files =
        [
            .. Directory.EnumerateFiles(name, "*", SearchOption.AllDirectories)
                .Where(TraceFormats.IsTraceName).Order(StringComparer.Ordinal),
        ];
        return files.Length != 0 ? files : throw new LoadException($"'{name}' has no file that is a trace by its name. Name the files.");
    }
}

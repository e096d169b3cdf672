using System;
using System.IO;

namespace BigPile.Testing;

/// <summary>The files of a mapped pile, read while the pile is open.</summary>
internal static class PileFiles
{
    /// <summary>Copies a pile's directory: while the pile is open, the copy is what a kill at this instant leaves.</summary>
    /// <param name="from">The pile's directory.</param>
    /// <param name="to">Where; made if it is missing. Files of the same names are overwritten.</param>
    internal static void Copy(string from, string to)
    {
        Directory.CreateDirectory(to);
        while (!TryCopyAtOnce(from, to))
        {
            foreach (string path in Directory.GetFiles(to)) // a segment was given back meanwhile: as at a later instant
                File.Delete(path);
        }
    }

    // What the superblock lists is among the files of a copy: the background adds segments, and removes some.
    private static bool TryCopyAtOnce(string from, string to)
    {
        string path = Path.Combine(from, "superblock");
        byte[] before = File.Exists(path) ? ReadShared(path) : [];
        return TryCopy(from, to) && (before.Length == 0 || ReadShared(path).AsSpan().SequenceEqual(before));
    }

    private static bool TryCopy(string from, string to)
    {
        try
        {
            foreach (string path in Directory.GetFiles(from))
            {
                if (Path.GetFileName(path) is "lock" or "owner")
                    continue; // they are the living process's
                using FileStream source = OpenShared(path);
                using FileStream target = File.Create(Path.Combine(to, Path.GetFileName(path)));
                SparseFile.Copy(source, target);
            }
            return true;
        }
        catch (FileNotFoundException)
        {
            return false;
        }
    }

    /// <summary>Reads a file that the pile may be writing, or giving back.</summary>
    internal static byte[] ReadShared(string path)
    {
        using FileStream file = OpenShared(path);
        var bytes = new byte[file.Length];
        file.ReadExactly(bytes);
        return bytes;
    }

    private static FileStream OpenShared(string path) => new(path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite | FileShare.Delete);
}

using System;
using System.IO;
using System.Text.Json;

namespace BigPile.Perf.Runs;

/// <summary>Where runs are kept: a file of JSON each.</summary>
internal static class RunStore
{
    private const long MaxBytes = 64 << 20; // a run has some hundred figures; whatever is larger is something else

    private const string Remedy = "Name a file that report has written, as it was written.";

    /// <summary>Writes a run. A file that is there is replaced as a whole, or not at all.</summary>
    /// <exception cref="LoadException">The run holds what a file can not, such as a figure that is no number.</exception>
    internal static void Write(string path, RunFile run)
    {
        if (RunCheck.FindFault(run) is { } fault)
            throw new LoadException($"'{path}' is not written, for what it would hold is wrong: {fault}");
        string draft = path + ".new";
        File.WriteAllBytes(draft, JsonSerializer.SerializeToUtf8Bytes(run, RunJson.Default.RunFile));
        File.Move(draft, path, overwrite: true);
    }

    /// <summary>Reads a run.</summary>
    /// <exception cref="LoadException">The file is none of a run, or of a newer form, or damaged; the message says where.</exception>
    internal static RunFile Read(string path)
    {
        byte[] text = ReadBytes(path);
        try
        {
            DemandFormat(path, text);
            RunFile run = JsonSerializer.Deserialize(text, RunJson.Default.RunFile)!;
            return RunCheck.FindFault(run) is { } fault ? throw new LoadException($"'{path}': {fault} {Remedy}") : run;
        }
        catch (JsonException e)
        {
            throw new LoadException($"'{path}'{PlaceOf(e)}: {Sentence(e.Message)} {Remedy}", e);
        }
    }

    private static byte[] ReadBytes(string path)
    {
        long length = new FileInfo(path).Length;
        return length <= MaxBytes
            ? File.ReadAllBytes(path)
            : throw new LoadException($"'{path}' is no result of report: it has {length} bytes, and a run at most {MaxBytes}. {Remedy}");
    }

    // First: a newer format may lack members that this one needs.
    private static void DemandFormat(string path, byte[] text)
    {
        using JsonDocument document = JsonDocument.Parse(text);
        if (document.RootElement.ValueKind != JsonValueKind.Object
            || !document.RootElement.TryGetProperty("format", out JsonElement field)
            || field.ValueKind != JsonValueKind.Number
            || !field.TryGetInt32(out int format))
        {
            throw new LoadException($"'{path}' is no result of report: it has no number named format. {Remedy}");
        }
        if (format > RunFile.CurrentFormat)
        {
            throw new LoadException(
                $"'{path}' is of format {format}, and this console reads up to {RunFile.CurrentFormat}. Use a console as new as the file.");
        }
        if (format < 1)
            throw new LoadException($"'{path}' is of format {format}, which there never was. {Remedy}");
    }

    private static string PlaceOf(JsonException error)
    {
        string line = error.LineNumber is { } number ? $", line {number + 1}" : "";
        return error.Path is { Length: > 1 } path ? $"{line}, {RunTexts.Sanitize(path)}" : line;
    }

    // The parser appends its own places, which count from 0.
    private static string Sentence(string message)
    {
        int end = message.IndexOfAny(['|', '\n']);
        string sentence = (end < 0 ? message : message[..end]).TrimEnd();
        int place = sentence.IndexOf(" LineNumber:", StringComparison.Ordinal);
        sentence = place < 0 ? sentence : sentence[..place];
        int own = sentence.IndexOf(" Path: ", StringComparison.Ordinal);
        return RunTexts.Sanitize(own < 0 ? sentence : sentence[..own]);
    }
}

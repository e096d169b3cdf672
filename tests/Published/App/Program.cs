using System;
using System.Collections;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Reflection;
using System.Runtime.CompilerServices;
using System.Text;
using BigPile;
using BigPile.Caching;
using Published.Between;
using Published.Near;

namespace Published.App;

/// <summary><c>put DIRECTORY</c> puts some objects into a new pile; <c>get DIRECTORY</c>, in another process, gets them.</summary>
/// <remarks>A line for each object: its name, and its pointer, its text, or the type and the message of what was thrown.</remarks>
internal static class Program
{
    private const string PointerFile = "pointers.txt";

    public static int Main(string[] arguments)
    {
        if (arguments is not ["put" or "get", string directory, ..])
        {
            Console.Error.WriteLine("usage: put DIRECTORY [allow] | get DIRECTORY [allow]");
            return 2;
        }
        Say("all", () => Run(arguments[0], directory, isAllowing: arguments.Length > 2));
        return 0;
    }

    private static string Run(string verb, string directory, bool isAllowing)
    {
        if (verb == "put" && Directory.Exists(directory))
            Directory.Delete(directory, recursive: true);
        var codec = new PileCodecOptions();
        if (isAllowing)
            codec.Allow(Loose());
        using Pile pile = Pile.Open(directory, new PileOptions { SegmentBytes = 4 << 20, CodecOptions = codec });
        using var cache = new PileCache(pile);
        string index = Path.Combine(directory, PointerFile);
        if (verb == "put")
            Put(pile, cache, index);
        else
            Get(pile, cache, index);
        return "done";
    }

    // Only the run that puts comes here, so the other one has loaded none of these libraries.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Put(Pile pile, PileCache cache, string index)
    {
        using StreamWriter pointers = File.CreateText(index);
        foreach ((string name, Func<object> make) in Objects())
            pointers.WriteLine(name + "\t" + Say(name, () => Text(pile.Put(make()).ToUInt64())));
        Say("table", () => cache.GetOrCreateTable<int, object>("orders").Put(7, new Order(7, "Grace", default)).ToString());
        Say("blobs", () => cache.GetOrCreateTable<string, byte[]>("blobs").Put("key", [.. "raw too"u8]).ToString());
    }

    private static Dictionary<string, Func<object>> Objects() => new()
    {
        ["near"] = () => new Order(1, "Ada", default),
        ["far"] = () => Dispatch.MakeParcel("Berlin"),
        ["list"] = () => new List<Order> { new(2, "Bob", default), new(3, "Cy", default) },
        ["own"] = () => new Memo { Text = "here" },
        ["bytes"] = () => (byte[])[.. "raw"u8],
        ["text"] = () => "plain",
        ["loose"] = () => Activator.CreateInstance(Loose().GetType("Published.Loose.Voucher")!, "WELCOME", default(PilePointer))!,
    };

    private static void Get(Pile pile, PileCache cache, string index)
    {
        foreach (string[] line in File.ReadLines(index).Select(static line => line.Split('\t')))
        {
            if (ulong.TryParse(line[1], CultureInfo.InvariantCulture, out ulong number))
                Say(line[0], () => Describe(pile.Get(PilePointer.FromUInt64(number))));
        }
        Say("table", () => Describe(cache.GetOrCreateTable<int, object>("orders").Get(7)));
        Say("blobs", () => Describe(cache.GetOrCreateTable<string, byte[]>("blobs").Get("key")));
    }

    private static string Describe(object value) => value switch
    {
        string text => text,
        byte[] bytes => Encoding.UTF8.GetString(bytes),
        IEnumerable all => string.Join(" & ", all.Cast<object>()),
        _ => value.ToString()!,
    };

    private static string Say(string name, Func<string> act)
    {
        string result;
        try
        {
            result = act();
        }
        catch (Exception e)
        {
            result = e.GetType().Name + ": " + e.Message.ReplaceLineEndings(" ");
        }
        Console.WriteLine(name + "\t" + result);
        return result;
    }

    private static string Text(IFormattable value) => value.ToString(null, CultureInfo.InvariantCulture);

    private static Assembly Loose() => Assembly.Load("Published.Loose");
}

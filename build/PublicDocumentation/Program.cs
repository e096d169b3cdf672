using System.IO;
using System.Reflection.PortableExecutable;
using System.Xml.Linq;
using BigPile.PublicDocumentation;

// Leaves out of a documentation file what nobody outside of the assembly can use: assembly, the compiler's file, the shorter one.
XDocument document = XDocument.Load(args[1]);
using (var assembly = new PEReader(File.OpenRead(args[0])))
    new PublicMembers(assembly).Keep(document.Root!.Element("members")!);
Directory.CreateDirectory(Path.GetDirectoryName(args[2])!);
document.Save(args[2]);

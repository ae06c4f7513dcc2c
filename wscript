# SPDX-License-Identifier: GPL-2.0-only
#
# The build as contrib/iwarp of ns-3 3.35, with waf. The module needs C++17:
#     ./waf configure --cxx-standard=-std=c++17 --enable-modules=iwarp --enable-tests --enable-examples

MODULES = ['internet', 'point-to-point', 'applications', 'traffic-control', 'stats', 'bridge']


def configure(conf):
    release = conf.srcnode.find_node('VERSION').read().strip()
    numbers = release.split('.')
    if len(numbers) > 1 and (int(numbers[0]), int(numbers[1])) < (3, 35):
        conf.fatal('iwarp needs ns-3 3.35 or later, and this is %s: take a newer one, or move '
                   'contrib/iwarp out of this tree' % release)
    found = conf.check_nonfatal(
        header_name='isa-l/crc.h', lib='isal', uselib_store='IWARP_ISAL', mandatory=False)
    conf.env['IWARP_ISAL'] = bool(found)
    conf.report_optional_feature(
        'iwarp-isal', 'ISA-L for the CRC of iwarp', bool(found), 'libisal-dev not found')
    found = conf.check_nonfatal(
        header_name='openssl/evp.h', lib='crypto', uselib_store='IWARP_CRYPTO', mandatory=False)
    conf.env['IWARP_CRYPTO'] = bool(found)
    conf.report_optional_feature(
        'iwarp-openssl', 'OpenSSL for real ESP and TLS of iwarp', bool(found), 'libssl-dev not found')


def build(bld):
    def files(*patterns):
        return [node.path_from(bld.path) for node in bld.path.ant_glob(list(patterns))]

    defines = ['IWARP_SOURCE_DIR="%s"' % bld.path.abspath(), 'IWARP_NS3_BEFORE_3_36']
    cxxflags = ['-include', bld.path.abspath() + '/model/ns3-compat.h']

    module = bld.create_ns3_module('iwarp', MODULES)
    module.source = files('model/**/*.cc', 'helper/**/*.cc')
    module.defines = list(defines)
    module.cxxflags = list(cxxflags)
    if bld.env['IWARP_ISAL']:
        module.use.append('IWARP_ISAL')
        module.defines.append('IWARP_HAVE_ISAL')
    if bld.env['IWARP_CRYPTO']:
        module.use.append('IWARP_CRYPTO')
        module.defines.append('IWARP_HAVE_OPENSSL')

    headers = bld(features='ns3header')
    headers.module = 'iwarp'
    headers.source = files('model/**/*.h', 'helper/**/*.h')

    tests = bld.create_ns3_module_test_library('iwarp')
    tests.source = [name for name in files('test/*/*.cc') if not name.startswith('test/fuzz/')]
    tests.defines = list(defines)
    # at -O3 the assertions of a suite take four times as long to compile, and gain nothing
    tests.cxxflags = cxxflags + (['-O1'] if bld.env['BUILD_PROFILE'] == 'release' else [])

    if bld.env['ENABLE_EXAMPLES']:
        for name in files('examples/*.cc'):
            needs = ['iwarp']
            if name.endswith('/iwarp-live.cc'):
                needs.append('fd-net-device')
                if 'ns3-fd-net-device' not in bld.env['NS3_ENABLED_MODULES']:
                    continue
            program = bld.create_ns3_program(name.split('/')[-1][:-3], needs)
            program.source = name
            program.defines = list(defines)
            program.cxxflags = list(cxxflags)
